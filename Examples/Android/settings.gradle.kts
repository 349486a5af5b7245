// Nobody has run this build yet: there is no Android SDK where Mien is tested. scripts/test-android compiles and runs the app's file.
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
rootProject.name = "shop"
include(":app")
includeBuild("../../Kits/android")
