"""Openings for the small models, all from the two plays that they have never read."""

__all__ = ["PROMPTS"]

PROMPTS = {
    "dagger": "MACBETH.\nIs this a dagger which I see before me,\n",
    "witches": "FIRST WITCH.\nWhen shall we three meet again\n",
    "spot": "LADY MACBETH.\nOut, damned spot! out, I say!\n",
    "knell": "MACBETH.\nI have done the deed. Didst thou not hear a noise?\n",
    "revels": "PROSPERO.\nOur revels now are ended. These our actors,\n",
    "fathom": "ARIEL.\nFull fathom five thy father lies;\n",
    "wonder": "MIRANDA.\nO, wonder!\nHow many goodly creatures are there here!\n",
    "isle": "CALIBAN.\nThis island's mine, by Sycorax my mother,\n",
}
"""Name -> text."""
