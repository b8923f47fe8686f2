"""The papers' tables as runnable studies: our numbers beside theirs."""
