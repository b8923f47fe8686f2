"""Damaged files through every reader: each is read, or refused in one line, soon and in little memory.

``make fuzz MINUTES=10`` tries new ones for so long; the suite tries a thousand of each format, always the same
(``test_fuzz.py``). A format of the catalogues joins by itself where it is written, else by a line in ``sources.py``.
"""
