package dev.mien

/** All tests of the core that need no server. */
object CoreTests {
    fun register() {
        FormTests.register()
        VectorTests.register()
        ConnectionTests.register()
        SessionTests.register()
        TokenLifetimeTests.register()
        JourneyTests.register()
        CaptureTests.register()
        DocumentTests.register()
        OneTimeCodeTests.register()
        SecretTests.register()
        ConformanceTests.register()
    }
}
