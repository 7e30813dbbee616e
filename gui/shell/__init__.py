"""The main window around the chat: header, tray, status line, commands and dialogs."""
