"""The I-map bound: upper bounds that use the independences among what is observed."""
