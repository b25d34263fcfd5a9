import BelfryModel
import BelfryWire

/// Which keys a body may have. What a campaign or a setting says and this version does not know must not be silently
/// left out.
indirect enum BodyShape: Hashable, Sendable {
    /// Anything: the decoder judges it.
    case value
    case list(BodyShape)
    /// An object whose keys are the writer's own.
    case map(BodyShape)
    case campaign, push, action, button
    case audience, predicate, eventCount
    case variant, schedule, quietHours, frequencyCap
    case messageCenter, centerVariant, badge
    case inApp, inAppContent, inAppVariant, inAppButton, inAppAction, inAppColors, inAppDarkColors, trigger
    case settings, openID, center
    case apns, fcm, webPush

    /// How many unknown keys one answer names.
    static let maximumFaults = 20

    /// The keys of an object of this shape; nil when any key may stand there.
    private var keys: [String: BodyShape]? {
        switch self {
        case .value, .list, .map:
            nil
        case .settings:
            [
                "anonymousContacts": .value, "identity": .value, "openID": .openID, "contactFields": .value,
                "maxBadgeCount": .value, "allowedOrigins": .value, "timeZone": .value, "eventRetentionDays": .value,
                "inAppScripts": .value,
            ]
        case .center:
            ["label": .value, "enabled": .value]
        case .apns:
            [
                "teamId": .value, "keyId": .value, "topic": .value, "privateKey": .value, "endpoint": .value,
                "sandboxEndpoint": .value, "trustRoots": .value,
            ]
        case .fcm:
            // The service account is Google's object, with whatever Google puts there.
            ["serviceAccount": .value, "endpoint": .value, "trustRoots": .value]
        case .webPush:
            ["subject": .value, "privateKey": .value, "trustRoots": .value]
        case .openID:
            // A key set may have members that its reader does not know (RFC 7517 §5).
            ["issuer": .value, "audience": .value, "claim": .value, "jwks": .value]
        case .campaign:
            [
                "name": .value, "kind": .value, "audience": .predicate, "push": .push, "messageCenter": .messageCenter,
                "inApp": .inApp, "schedule": .schedule,
            ]
        case .push:
            [
                "title": .value, "subtitle": .value, "body": .value, "imageUrl": .value, "sound": .value,
                "action": .action, "buttons": .list(.button), "collapseId": .value, "ttlSeconds": .value,
                "priority": .value, "custom": .value, "category": .value, "threadId": .value,
                "interruptionLevel": .value, "androidChannel": .value, "badge": .badge, "variants": .map(.variant),
                "defaults": .value,
            ]
        case .messageCenter:
            [
                "center": .value, "subject": .value, "message": .value, "iconUrl": .value, "deeplinkUrl": .value,
                "richUrl": .value, "richHtml": .value, "expiresAt": .value, "badge": .badge, "custom": .value,
                "variants": .map(.centerVariant), "defaults": .value,
            ]
        case .centerVariant:
            [
                "subject": .value, "message": .value, "iconUrl": .value, "deeplinkUrl": .value, "richUrl": .value,
                "richHtml": .value,
            ]
        case .badge:
            ["op": .value, "value": .value]
        case .inApp, .inAppContent, .inAppVariant, .inAppButton, .inAppAction, .inAppColors, .inAppDarkColors, .trigger:
            inAppKeys
        case .variant:
            [
                "title": .value, "subtitle": .value, "body": .value, "imageUrl": .value, "action": .action,
                "buttons": .list(.button),
            ]
        case .schedule:
            [
                "at": .value, "localAt": .value, "quietHours": .quietHours, "frequencyCap": .frequencyCap,
                "expiresAt": .value, "ratePerSecond": .value,
            ]
        case .quietHours:
            ["from": .value, "to": .value, "then": .value]
        case .frequencyCap:
            ["count": .value, "within": .value]
        case .action:
            ["type": .value, "url": .value]
        case .button:
            ["id": .value, "text": .value, "action": .action]
        case .predicate:
            [
                "everyone": .value, "all": .list(.predicate), "any": .list(.predicate), "not": .predicate,
                "attribute": .value, "device": .value, "tag": .value, "contactKeys": .value, "deviceIds": .value,
                "known": .value, "op": .value, "value": .value, "event": .value, "count": .eventCount,
                "within": .value, "where": .predicate,
            ]
        case .eventCount:
            ["op": .value, "value": .value]
        case .audience:
            ["audience": .predicate]
        }
    }

    /// What of a predicate stands only beside these keys.
    private static let companions: [String: Set<String>] = [
        "event": ["count", "within", "where"], "attribute": ["op", "value"], "device": ["op", "value"],
    ]

    /// The keys that this object may have: a predicate those of its kind, for a limit that no reader heeds would reach
    /// more people than it says. What is of no kind at all the decoder refuses.
    private func keys(in object: [String: BodyTree]) -> [String: BodyShape]? {
        guard self == .predicate, let keys else { return keys }
        let companions = Set(Self.companions.values.joined())
        let kinds = object.keys.filter { keys[$0] != nil && !companions.contains($0) }
        guard !kinds.isEmpty else { return keys }
        let own = Set(kinds.compactMap { Self.companions[$0] }.joined())
        return keys.filter { !companions.contains($0.key) || own.contains($0.key) }
    }

    /// Refuses a body that has other keys, and names them all (ADM-3).
    func check(_ bytes: [UInt8]) throws(APIError) {
        let tree: BodyTree
        do {
            tree = try BodyTree(bytes)
        } catch {
            throw APIError(error)
        }
        let faults = unknownKeys(of: tree, at: "").prefix(Self.maximumFaults)
        guard let first = faults.first else { return }
        throw APIError(
            .unprocessableContent, first.code, first.message, target: first.target,
            details: faults.count > 1 ? Array(faults.dropFirst()) : nil
        )
    }

    private func unknownKeys(of tree: BodyTree, at path: String) -> [ErrorBody.Detail] {
        if case .list(let element) = self {
            guard case .list(let elements) = tree else { return [] }
            return elements.enumerated().flatMap { index, value in
                element.unknownKeys(of: value, at: "\(path)[\(index)]")
            }
        }
        if case .map(let element) = self {
            guard case .object(let members) = tree else { return [] }
            return members.sorted { $0.key < $1.key }.flatMap { key, value in
                element.unknownKeys(of: value, at: "\(path).\(key)")
            }
        }
        guard case .object(let object) = tree, let keys = keys(in: object) else { return [] }
        return object.sorted { $0.key < $1.key }.flatMap { key, value -> [ErrorBody.Detail] in
            let field = path.isEmpty ? key : "\(path).\(key)"
            if let shape = keys[key] { return shape.unknownKeys(of: value, at: field) }
            // An explicit null counts as absent; of a setting it would be a reset.
            return value == .null && self != .settings ? [] : [Self.unknown(key, field, known: keys.keys.sorted())]
        }
    }

    private static func unknown(_ key: String, _ field: String, known: [String]) -> ErrorBody.Detail {
        let advice =
            NearestKey.find(key, in: known).map { "Did you mean '\($0)'?" }
            ?? "Known are: \(known.joined(separator: ", "))."
        return ErrorBody.Detail(
            code: ErrorCode.notSupported,
            message: "'\(key.prefix(64))' is not supported by this version. \(advice)",
            target: String(field.prefix(256))
        )
    }
}
