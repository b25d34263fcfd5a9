import BelfryModel

extension Sequence<UInt8> {
    /// Two digits for each byte, in lower case, for addresses and cookies.
    var hexText: String {
        var text: [UInt8] = []
        for byte in self {
            let (high, low) = byte.hexDigits(uppercase: false)
            text += [high, low]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
