"""Google: signing in, and the accounts that were signed in to."""
