package dev.mien

/**
 * How long an access token may be used. People set clocks back and forward, so a token that this process received is measured with
 * a clock that nobody sets; one from an earlier process has only the times that were stored with it.
 */
internal sealed class TokenLifetime {
    /** Received by this process: the end on [DeviceClock]. */
    private class Received(val endsAt: Long) : TokenLifetime()

    /** Read from storage: the device's time when it was received, and when it expires. */
    private class Stored(val issuedAt: Long?, val expiresAt: Long) : TokenLifetime()

    /**
     * Whether the token is valid for more than [margin], as far as the clocks can tell. A stored token from the future is not: the
     * clock was set back, so nobody knows how old it is.
     */
    fun exceeds(margin: Long, now: Long, elapsed: Long): Boolean = when (this) {
        is Received -> elapsed + margin < endsAt
        is Stored -> (issuedAt == null || issuedAt <= now) && now + margin < expiresAt
    }

    companion object {
        fun received(tokens: SessionTokens, elapsed: Long): TokenLifetime =
            Received(elapsed + (if (tokens.issuedAt == null) 0 else tokens.expiresAt - tokens.issuedAt))

        fun stored(tokens: SessionTokens): TokenLifetime = Stored(tokens.issuedAt, tokens.expiresAt)
    }
}
