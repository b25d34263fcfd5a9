import Foundation

/// Base64url without padding (RFC 4648 §5), by Foundation and not by the code under test.
public func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

extension Data {
    /// The bytes of a base64url text, with or without padding; nil if it is none.
    public init?(base64URL text: String) {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
}
