package dev.mien

/** An access token, the prover of the key that it is bound to, and what replaces both if the server refuses the token. */
internal class Access(
    val token: Sensitive<String>, val prover: DPoPProver?,
    /** `null` if only another sign-in helps. */
    val renewed: () -> Access?
)
