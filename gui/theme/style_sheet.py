"""The style sheet of the window around the chat, made from the tokens."""

from string import Template

from gui.theme.colors import Tokens

_SHEET = Template("""
QMainWindow, QDialog { background: $page; }
QWidget#sideBar, QWidget#artifactsPane { background: $surface; }
QWidget#statusLine { background: $surface; border-top: 1px solid $line; }
QWidget#header { background: $page; border-bottom: 1px solid $line; }
QSplitter::handle { background: $line; }
QSplitter::handle:hover, QSplitter::handle:focus { background: $accent; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QFrame#rule { background: $line; border: none; max-height: 1px; }
QLabel { background: transparent; }
QLabel#wordmark { font-size: 15px; font-weight: 600; }
QLabel#title { font-size: 14px; font-weight: 600; }
QLabel#heading { font-size: 13px; font-weight: 600; }
QLabel#page { font-size: 20px; font-weight: 600; }
QLabel#strong { font-weight: 600; }
QLabel#muted { color: $muted; }
QLabel#works { color: $success; }
QLabel#warns { color: $warning; }
QLabel#fails { color: $error; }
QLabel#status { color: $muted; font-size: 12px; }
QLabel#statusWarning { color: $warning; font-size: 12px; }
QWidget#settingsPage { background: $page; }
QListWidget#pages {
    background: $surface; border: none; border-right: 1px solid $line; padding: 12px 8px;
}
QListWidget#pages::item { padding: 7px 10px; border-radius: 6px; color: $text; }
QListWidget#pages::item:selected { background: $accent_soft; color: $text; }
QFrame#box { background: $raised; border: 1px solid $line; border-radius: 10px; }
QFrame#drop { background: $surface; border: 1px dashed $muted; border-radius: 8px; }
QFrame#drop[over="true"] { background: $accent_soft; border-color: $accent; }
QWidget#banner { background: $accent_soft; border-bottom: 1px solid $line; }
QLabel#key {
    background: $surface; border: 1px solid $line; border-radius: 4px; padding: 1px 6px;
}
QListView { background: transparent; outline: none; }
QListView QLineEdit { border-radius: 6px; padding: 2px 6px; }
QPushButton {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 8px;
    padding: 6px 14px; min-height: 20px;
}
QPushButton:hover { background: $accent_soft; }
QPushButton:focus { border: 2px solid $accent; padding: 5px 13px; }
QPushButton:disabled { color: $muted; }
QPushButton#primary { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton#primary:focus { border-color: $text; }
QPushButton#primary:disabled {
    background: $surface; color: $muted; border-color: $line;
}
QPushButton#small { padding: 2px 10px; min-height: 18px; }
QPushButton#small:focus { padding: 1px 9px; }
QPushButton#newChat { text-align: left; padding: 7px 10px; }
QPushButton#newChat:focus { padding: 6px 9px; }
QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 5px;
}
QToolButton:hover { background: $line; }
QToolButton:focus { border-color: $accent; }
QToolButton:checked { background: $accent_soft; }
QToolButton::menu-indicator { image: none; }
QToolButton#planner { color: $muted; font-size: 12px; padding: 3px 6px; }
QToolButton#planner:hover, QToolButton#planner:focus { color: $text; }
QToolButton#uses { color: $muted; padding: 5px 8px; }
QToolButton#uses:hover { color: $text; }
QToolButton#more { padding: 5px 8px; }
QToolButton#link { color: $accent; font-weight: 600; padding: 4px 8px; }
QWidget#undoBar { background: $raised; border: 1px solid $line; border-radius: 8px; }
QWidget#undoBar QLabel { border: none; }
QLineEdit {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 8px;
    padding: 6px 8px; selection-background-color: $selection; selection-color: $text;
}
QLineEdit:focus, QComboBox:focus { border-color: $accent; }
QLineEdit[wrong="true"], QComboBox[wrong="true"] { border-color: $error; }
QComboBox {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 8px;
    padding: 0 2px; min-height: 32px;
}
QComboBox::drop-down { border: none; width: 26px; }
QComboBox QLineEdit { border: none; padding: 0 6px; background: transparent; }
QComboBox QAbstractItemView {
    background: $raised; color: $text; border: 1px solid $line; outline: none; padding: 4px;
    selection-background-color: $accent_soft; selection-color: $text;
}
QMenu { background: $raised; color: $text; border: 1px solid $line; padding: 6px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 6px; }
QMenu::icon { padding-left: 8px; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: 6px 8px; }
QToolTip {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 4px;
    padding: 4px 8px;
}
QProgressBar { background: $line; border: none; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


def style_sheet(tokens: Tokens) -> str:
    """Return the style sheet in the colours of the tokens."""
    return _SHEET.substitute({name: getattr(tokens, name) for name in tokens.__dataclass_fields__})
