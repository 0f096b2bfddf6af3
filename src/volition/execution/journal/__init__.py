"""The journal: every attempt on disk, verbatim, with its label and its reward; written, read, summarised and verified."""
