"""The documents of governance as strict, frozen types: inputs and outputs."""
