"""What a reply made: the list of artifacts, their preview, and opening them safely."""
