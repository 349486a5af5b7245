// Nobody has run this build yet: there is no Android SDK where Mien is tested. scripts/test-android compiles the same files.
pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
}
dependencyResolutionManagement {
    repositories {
        google()
        mavenCentral()
    }
}
rootProject.name = "mien-android"
include(":core", ":layer")
