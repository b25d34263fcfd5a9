import BelfryModel
import BelfryWire
import NIOHTTP1

/// How a request is framed, according to its head (RFC 9112): whether its end is unambiguous, and whether another
/// request may follow.
struct RequestFrame: Hashable, Sendable {
    /// The connection ends with its response: the client asked for that, or uses HTTP/1.0 without `keep-alive`, or
    /// nothing can be read after it.
    private(set) var isLast = false
    /// An HTTP/1.0 client treats the connection as closed unless the response says otherwise.
    private(set) var awaitsKeepAlive = false
    /// Bytes of the body; nil when they are not announced.
    private(set) var bodyBytes: Int?
    /// The announced body will not be accepted, so it is not waited for.
    private(set) var isOversized = false
    /// The client waits for a 100 before it sends its body (RFC 9110 §10.1.1).
    private(set) var awaitsContinue = false
    /// It has an `X-Forwarded-For` header.
    private(set) var isForwarded = false
    /// An HTTP/1.0 client does not understand a 100.
    private(set) var hasVainExpectation = false

    /// Reads each header once. The only text it creates is that of a percent-encoded address.
    init(_ head: HTTPRequestHead) throws(MalformedRequest) {
        let isOld = head.version.major == 1 && head.version.minor == 0
        var hosts = 0
        var length: String?
        var codings: String?
        var hasConnection = false
        var asksToClose = false
        var hasExpectation = false
        // After CONNECT or an upgrade the parser reads nothing more.
        var isUpgrade = head.method == .CONNECT
        guard StreamSafeText.isSafe(Self.percentDecoded(head.uri)) else { throw .notStreamSafe }
        for (name, value) in head.headers {
            guard StreamSafeText.isSafe(value) else { throw .notStreamSafe }
            switch name.utf8.count {
            case 4 where name.isField("host"):
                hosts += 1
                guard hosts == 1, HostField.isValid(value) else { throw .badHost }
            case 6 where name.isField("expect"): hasExpectation = true
            case 7 where name.isField("upgrade"): isUpgrade = true
            case 10 where name.isField("connection"):
                hasConnection = true
                // Clients of SDK version 3 send exactly this with every request.
                if !value.utf8.elementsEqual("keep-alive".utf8) { asksToClose = asksToClose || value.asksToClose }
            case 14 where name.isField("content-length"): length = value
            case 15 where name.isField("x-forwarded-for"): isForwarded = true
            // No standard has it, but the parser heeds it, and reads nothing after a request with `close` in it.
            case 16 where name.isField("proxy-connection"): asksToClose = asksToClose || value.asksToClose
            case 17 where name.isField("transfer-encoding"): codings = codings.map { "\($0),\(value)" } ?? value
            default: break
            }
        }
        guard hosts == 1 || isOld else { throw .badHost }
        if let codings { try TransferCodings.check(codings, isOld: isOld, hasLength: length != nil) }
        let announced = length.map(Self.number)
        isOversized = announced.map { $0 > UInt64(WireLimits.maximumBodyBytes) } ?? false
        bodyBytes = codings == nil ? Int(clamping: announced ?? 0) : nil
        awaitsContinue = hasExpectation && !isOld && (codings != nil || (length ?? "0") != "0")
        hasVainExpectation = hasExpectation && isOld
        // Without the header the version decides; the library's own check would read all headers again. It does not
        // see `close` before a tab, nor from an HTTP/1.0 client that says `keep-alive` too (RFC 9112 §9.3).
        let staysOpen = (hasConnection ? head.isKeepAlive : !isOld) && !asksToClose
        isLast = !staysOpen || isOversized || isUpgrade
        awaitsKeepAlive = isOld && staysOpen
    }

    /// The path as later readers of its parts will see it.
    private static func percentDecoded(_ uri: String) -> String {
        guard uri.utf8.contains(UInt8(ascii: "%")) else { return uri }
        var rest = Array(uri.utf8)[...]
        var decoded: [UInt8] = []
        decoded.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexDigit),
                let low = rest.dropFirst().first.flatMap(hexDigit)
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"):
            (byte | 0x20) - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The length as a number. The library rejects any length beyond its number type as malformed.
    private static func number(_ length: String) -> UInt64 {
        let digits = length.utf8.drop { $0 == UInt8(ascii: "0") }
            .prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        guard digits.count < 20 else { return .max }
        var number: UInt64 = 0
        for digit in digits { number = number &* 10 &+ UInt64(digit &- UInt8(ascii: "0")) }
        return number
    }
}

/// The header `Transfer-Encoding` of a request (RFC 9112 §6.1, §6.3).
private enum TransferCodings {
    static func check(_ text: String, isOld: Bool, hasLength: Bool) throws(MalformedRequest) {
        // If a request has both headers, or its client cannot know this one, a proxy in front of this server may see
        // another end of the body.
        guard !isOld, !hasLength else { throw .badFraming }
        let areChunked = text.options.map { $0.isWord("chunked") }
        guard areChunked.last == true, !areChunked.dropLast().contains(true) else { throw .badFraming }
        guard areChunked.count == 1 else { throw .unknownCoding }
    }
}

extension String {
    /// Whether the name is that of this header.
    ///
    /// - Parameter name: in lower case, with as many bytes as this name.
    fileprivate func isField(_ name: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return utf8.elementsEqual(bytes) { $0 | 0x20 == $1 }
    }

    /// Whether the value of a `Connection` header asks for the end of the connection.
    fileprivate var asksToClose: Bool { options.contains { $0.isWord("close") } }

    /// The members of a list, without trailing white space: as bytes, as a proxy in front of this server reads them.
    fileprivate var options: [Substring.UTF8View] {
        let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
        return utf8.split(separator: UInt8(ascii: ",")).map { member in
            member.drop { $0 == space || $0 == tab }.prefix { $0 != space && $0 != tab }
        }
    }
}

extension Substring.UTF8View {
    /// Whether the text is this word in any case.
    ///
    /// - Parameter word: in lower case.
    fileprivate func isWord(_ word: String) -> Bool {
        elementsEqual(word.utf8) { $0 | 0x20 == $1 }
    }
}

extension HTTPHeaders {
    /// Whether these trailers ask for the end of the connection. The parser reads nothing after them then, as after a
    /// head that asks for it.
    var askToClose: Bool {
        contains { name, value in
            (name.isField("connection") || name.isField("proxy-connection")) && value.asksToClose
        }
    }
}
