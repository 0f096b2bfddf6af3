"""Settings of Sphinx for the site. It reads the pages that `staging` writes."""

project = "Volition"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Volition"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
highlight_language = "text"
myst_heading_anchors = 4
nitpicky = True
# A block that leaves lines out, or shows a broken document on purpose, is shown without colours.
suppress_warnings = ["misc.highlighting_failure"]
