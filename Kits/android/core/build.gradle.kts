import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins { kotlin("jvm") }

java {
    sourceCompatibility = JavaVersion.VERSION_1_8
    targetCompatibility = JavaVersion.VERSION_1_8
}
kotlin { compilerOptions { jvmTarget.set(JvmTarget.JVM_1_8) } }

// The words of the screens are those of the server's pages.
tasks.processResources {
    from("../../../Web/Languages") { into("dev/mien/languages") }
}

// The tests have a main function of their own: scripts/test-android.
sourceSets { test { kotlin.setSrcDirs(emptyList<String>()) } }
