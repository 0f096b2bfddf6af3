"""What commands print: a module for each package whose objects are shown, and `live` for what is drawn on a terminal."""
