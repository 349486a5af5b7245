import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    id("com.android.library")
    kotlin("android")
}

android {
    namespace = "dev.mien.android"
    compileSdk = 34
    defaultConfig { minSdk = 23 }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }
    sourceSets {
        getByName("main") { kotlin.srcDir("src/main/kotlin") }
        // The stubs of Android's API, and what needs them, are for scripts/test-android.
        getByName("test") {
            kotlin.setSrcDirs(emptyList<String>())
            java.setSrcDirs(emptyList<String>())
        }
    }
}
kotlin { compilerOptions { jvmTarget.set(JvmTarget.JVM_1_8) } }

dependencies {
    api(project(":core"))
    api("androidx.biometric:biometric:1.1.0")
    implementation("androidx.browser:browser:1.8.0")
    api("androidx.fragment:fragment:1.8.2")
}
