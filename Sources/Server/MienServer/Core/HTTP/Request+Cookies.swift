internal import HTTPTypes
package import Hummingbird

extension Request {
    /// The value of a cookie, if the browser sent one of at most 512 bytes, name included.
    ///
    /// A browser sends the cookies of the most specific path first, so the first one counts.
    package func cookie(_ name: String) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " || $0 == "\t" }
                guard pair.utf8.count <= 512, pair.hasPrefix("\(name)=") else { continue }
                return String(pair.dropFirst(name.count + 1))
            }
        }
        return nil
    }
}
