/// A metric of the server. `docs/spec/metrics.md` lists them all.
package struct Metric: Sendable {
    /// The name in Prometheus, with its unit: `…_total` for counters, `…_seconds` for durations;
    /// others, and `…_timestamp_seconds`, are gauges.
    package let name: String
    /// One sentence for `# HELP`.
    package let help: String
    /// The names of its labels, in order.
    package let labels: [String]

    package static let all = [
        requests, requestSeconds, journeysStarted, journeysEnded, captures, captureRefusals,
        presentations, lights, faceShadow, faceScores, faceScoreDrift,
        authentications, duplicateSearches, duplicateCases, faceMigrations, grants, oauthRefusals,
        mails,
        logoutNotices, identityJobs, identityJobsWaiting, identityJobSeconds, identityNotices,
        damagedRecords,
        queueWaiting, queueLimit, queueWorkers, liveCaptures, galleryFaces, galleryBytes,
        databaseBytes, databaseReads,
        databaseReaders, freeBytes, masterKeys, backedUpAt, certificateDays, startedAt,
        residentBytes, openFiles,
    ]

    package static let requests = Metric(
        name: "mien_http_requests_total", help: "Responses, by status code.", labels: ["status"])
    package static let requestSeconds = Metric(
        name: "mien_http_request_duration_seconds",
        help: "Time from a request's head to its response, by route.", labels: ["route"])
    package static let journeysStarted = Metric(
        name: "mien_journeys_started_total", help: "Journey runs started.", labels: [])
    package static let journeysEnded = Metric(
        name: "mien_journeys_ended_total", help: "Journey runs ended, by success or rejection.",
        labels: ["end"])
    package static let captures = Metric(
        name: "mien_captures_total", help: "Captures judged, by mode and result.",
        labels: ["mode", "result"])
    package static let captureRefusals = Metric(
        name: "mien_capture_refusals_total",
        help: "Reasons for which captures were refused; one capture may have several.",
        labels: ["reason"])
    package static let presentations = Metric(
        name: "mien_presentation_checks_total",
        help:
            "Live captures judged by the presentation check, by its mode and result; observe refuses nobody.",
        labels: ["mode", "result"])
    package static let lights = Metric(
        name: "mien_light_checks_total",
        help:
            "Live captures judged by the check of the screen's light, by its mode and result; observe refuses nobody.",
        labels: ["mode", "result"])
    package static let faceShadow = Metric(
        name: "mien_face_shadow_decisions_total",
        help:
            "Face logins and live captures judged in shadow mode, by policy, app, camera, the real decision, and the shadow's.",
        labels: ["policy", "app", "camera", "active", "shadow"])
    package static let faceScores = Metric(
        name: "mien_face_scores_total",
        help: "Match scores of face logins, by app, camera, and the lowest score of their band.",
        labels: ["app", "camera", "from"])
    package static let faceScoreDrift = Metric(
        name: "mien_face_score_drift",
        help: "1 while the match scores of an app and camera are lower than at first, otherwise 0.",
        labels: ["app", "camera"])
    package static let authentications = Metric(
        name: "mien_authentications_total",
        help: "Authentications, by type of authenticator and result.", labels: ["type", "result"])
    package static let faceMigrations = Metric(
        name: "mien_face_migrations_total",
        help: "Recognized faces of other model packs, by whether they were migrated.",
        labels: ["result"])
    package static let duplicateSearches = Metric(
        name: "mien_face_duplicate_searches_total",
        help: "Registered faces compared with an app's others, by result.", labels: ["result"])
    package static let duplicateCases = Metric(
        name: "mien_face_duplicate_cases_total",
        help: "Cases about accounts whose faces look alike: opened, and how they were decided.",
        labels: ["event"])
    package static let grants = Metric(
        name: "mien_grants_total", help: "Token grants, by result.", labels: ["result"])
    package static let logoutNotices = Metric(
        name: "mien_logout_notices_total",
        help: "Deliveries of back-channel logout notices, by result.", labels: ["result"])
    package static let identityJobs = Metric(
        name: "mien_identity_jobs_total",
        help: "Jobs of identity verification that a worker ended or postponed, by result.",
        labels: ["result"])
    package static let identityJobsWaiting = Metric(
        name: "mien_identity_jobs_waiting",
        help: "Jobs of identity verification that wait or run.", labels: [])
    package static let identityJobSeconds = Metric(
        name: "mien_identity_job_duration_seconds",
        help: "Time that a worker spent on a job of identity verification.", labels: [])
    package static let identityNotices = Metric(
        name: "mien_identity_notices_total",
        help: "Deliveries of results of identity verification to apps, by result.",
        labels: ["result"])
    package static let damagedRecords = Metric(
        name: "mien_damaged_records",
        help:
            "Stored records that could not be decrypted and were skipped, by kind: faces of the last search for duplicates, identities of the last sweep.",
        labels: ["kind"])
    package static let queueWaiting = Metric(
        name: "mien_queue_waiting",
        help: "Jobs that wait for a worker or for the database's writer, by queue.",
        labels: ["queue"])
    package static let queueLimit = Metric(
        name: "mien_queue_limit", help: "Jobs that may wait in a queue; further ones are refused.",
        labels: ["queue"])
    package static let queueWorkers = Metric(
        name: "mien_queue_workers", help: "Threads that take jobs from a queue.", labels: ["queue"])
    package static let liveCaptures = Metric(
        name: "mien_live_captures", help: "Live captures in progress.", labels: [])
    package static let galleryFaces = Metric(
        name: "mien_gallery_faces",
        help: "Faces that this server holds in memory for searches for duplicates.", labels: [])
    package static let galleryBytes = Metric(
        name: "mien_gallery_bytes",
        help: "Memory set aside for these faces, at most face.gallery_mib.", labels: [])
    package static let databaseBytes = Metric(
        name: "mien_database_bytes", help: "Sizes of the database and its write-ahead log.",
        labels: ["file"])
    package static let databaseReads = Metric(
        name: "mien_database_reads",
        help: "Reads of the database that run or wait for one of its readers.", labels: [])
    package static let databaseReaders = Metric(
        name: "mien_database_readers",
        help: "Connections for reading the database; further reads wait.", labels: [])
    package static let certificateDays = Metric(
        name: "mien_tls_certificate_days",
        help:
            "Days until the certificate that the server presents expires, negative afterward; absent without tls.certificate.",
        labels: [])
    package static let freeBytes = Metric(
        name: "mien_data_free_bytes", help: "Free space of the file system with the data folder.",
        labels: [])
    package static let masterKeys = Metric(
        name: "mien_master_keys",
        help: "Master keys; more than one while a rotation is unfinished.",
        labels: [])
    package static let backedUpAt = Metric(
        name: "mien_backup_timestamp_seconds",
        help: "When the last backup was completed, since 1970; 0 before the first.", labels: [])
    package static let startedAt = Metric(
        name: "mien_start_timestamp_seconds", help: "When the server started, since 1970.",
        labels: [])
    package static let residentBytes = Metric(
        name: "mien_resident_bytes", help: "Memory of the process (Linux).", labels: [])
    package static let openFiles = Metric(
        name: "mien_open_files", help: "Open files and connections of the process (Linux).",
        labels: [])
    package static let oauthRefusals = Metric(
        name: "mien_oauth_refusals_total",
        help: "Requests of apps that the OAuth endpoints refused, by error code.",
        labels: ["error"])
    package static let mails = Metric(
        name: "mien_mails_total", help: "Emails, by result.", labels: ["result"])
}
