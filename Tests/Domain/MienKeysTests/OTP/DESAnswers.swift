/// Known answers computed with OpenSSL.
enum DESAnswers {
    static let two = "62905aafddece5c7"
    static let one = "ed0618c288f56d55"
    static let seven = "b3ea90bdb35563f5"
    static let long = "70abb77d6101d323"
}
