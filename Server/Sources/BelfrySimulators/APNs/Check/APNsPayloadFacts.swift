/// What the check needs to know of a payload.
struct APNsPayloadFacts: Sendable, Equatable {
    var hasAlert = false
    var hasBadge = false
    var hasSound = false
    var isContentAvailable = false

    /// The person would see, hear or find something.
    var isNoticeable: Bool { hasAlert || hasBadge || hasSound }

    /// Nil if the payload is not a JSON object with a dictionary `aps`.
    static func read(_ payload: [UInt8]) -> APNsPayloadFacts? {
        var facts = APNsPayloadFacts()
        var hasDictionary = false
        var scanner = JSONScanner(payload)
        let isObject = scanner.document { key, scanner in
            guard scanner.text(at: key, is: "aps") else { return scanner.value() }
            hasDictionary = true
            return scanner.object { key, scanner in
                facts.take(key, &scanner)
            }
        }
        return isObject && hasDictionary ? facts : nil
    }

    private mutating func take(_ key: Range<Int>, _ scanner: inout JSONScanner) -> Bool {
        if scanner.text(at: key, is: "alert") {
            hasAlert = true
        } else if scanner.text(at: key, is: "badge") {
            hasBadge = true
        } else if scanner.text(at: key, is: "sound") {
            hasSound = true
        } else if scanner.text(at: key, is: "content-available") {
            isContentAvailable = scanner.next == UInt8(ascii: "1")
        }
        return scanner.value()
    }
}
