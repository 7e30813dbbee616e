"""Google accounts: OAuth sign-in, tokens, and calls to Google's APIs."""
