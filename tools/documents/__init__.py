"""Documents: written from Markdown in the format asked for."""
