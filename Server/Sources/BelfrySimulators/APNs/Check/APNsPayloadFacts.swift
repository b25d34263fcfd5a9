/// The facts about a payload that the check needs.
struct APNsPayloadFacts: Sendable, Equatable {
    var hasAlert = false
    var hasBadge = false
    var hasSound = false
    var isContentAvailable = false
    /// Whether `aps` has the `event` of a Live Activity.
    var hasEvent = false
    var hasTimestamp = false

    /// Whether a person would see, hear or find something.
    var isNoticeable: Bool { hasAlert || hasBadge || hasSound }

    /// The members beside or instead of `aps`.
    private struct Root {
        var hasDictionary = false
        /// `mdm`, the PushMagic of a managed device.
        var hasMagic = false
        /// `container-identifier` of a File Provider extension.
        var hasContainer = false
    }

    /// Nil if the payload is not a JSON object, or lacks what its push type needs. An `aps` must be a dictionary.
    static func read(_ payload: [UInt8], for pushType: APNsPushType? = nil) -> APNsPayloadFacts? {
        var facts = APNsPayloadFacts()
        var root = Root()
        var scanner = JSONScanner(payload)
        let isObject = scanner.document { key, scanner in
            if scanner.text(at: key, is: "aps") {
                root.hasDictionary = true
                return scanner.object { key, scanner in facts.take(key, &scanner) }
            }
            let isText = scanner.next == UInt8(ascii: "\"")
            if scanner.text(at: key, is: "mdm") { root.hasMagic = isText }
            if scanner.text(at: key, is: "container-identifier") { root.hasContainer = isText }
            return scanner.value()
        }
        return isObject && facts.suffice(pushType, root) ? facts : nil
    }

    /// Whether the payload has what its push type needs. The payload for PushKit is not checked.
    ///
    /// Sources: Apple, "Generating a remote notification"; "Starting and updating Live Activities with ActivityKit push
    /// notifications"; "Using push notifications to signal changes" (File Provider); "Setting up push notifications for
    /// your MDM customers".
    private func suffice(_ pushType: APNsPushType?, _ root: Root) -> Bool {
        switch pushType {
        case nil, .alert?, .background?, .controls?, .location?, .widgets?: root.hasDictionary
        case .liveactivity?: root.hasDictionary && hasEvent && hasTimestamp
        case .mdm?: root.hasMagic
        case .fileprovider?: root.hasContainer
        case .complication?, .pushtotalk?, .voip?: true
        }
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
        } else if scanner.text(at: key, is: "event") {
            hasEvent = scanner.next == UInt8(ascii: "\"")
        } else if scanner.text(at: key, is: "timestamp") {
            hasTimestamp = scanner.next.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
        }
        return scanner.value()
    }
}
