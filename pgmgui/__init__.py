"""The dashboard: reads engine objects, never the other way round."""
