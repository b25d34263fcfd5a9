import BelfryModel

extension Sequence<UInt8> {
    /// The bytes as two lower-case hex digits each, for addresses and cookies.
    var hexText: String {
        var text: [UInt8] = []
        for byte in self {
            let (high, low) = byte.hexDigits(uppercase: false)
            text += [high, low]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
