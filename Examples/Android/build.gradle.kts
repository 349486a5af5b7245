// The versions of Kits/android: Gradle accepts one version of a plugin in both builds.
plugins {
    id("com.android.application") version "8.5.2" apply false
    kotlin("android") version "1.9.24" apply false
}
