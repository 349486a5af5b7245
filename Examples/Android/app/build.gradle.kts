import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    id("com.android.application")
    kotlin("android")
}

android {
    namespace = "com.example.shop"
    compileSdk = 34
    defaultConfig {
        applicationId = "com.example.shop"
        minSdk = 23
        targetSdk = 34
        // The scheme of the redirect URIs, which the library's manifest receives.
        manifestPlaceholders["mienScheme"] = "com.example.shop"
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }
}
kotlin { compilerOptions { jvmTarget.set(JvmTarget.JVM_1_8) } }

dependencies {
    implementation("mien-android:layer")
    implementation("androidx.appcompat:appcompat:1.7.0")
}
