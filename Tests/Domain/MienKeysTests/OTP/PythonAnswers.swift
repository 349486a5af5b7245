/// Known answers computed with Python's hmac from the text of RFC 6287.
enum PythonAnswers {
    static let session = "10422474"
    static let whole = "191482c73848ee56c6ea6983581adc1ac1f32e8c681806a8b26cc135d6c677a5"
    static let longNumber = "0037432389"
    static let oddHex = "1925"
}
