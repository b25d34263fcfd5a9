/// Whether APNs would take a request. Pure: what it needs to know comes as parameters.
///
/// Apple documents the answers but not their order. The order here is: method, path, repeated fields, `apns-id`,
/// provider token, topic, push type, expiration, priority, collapse id, payload; and last the device
/// (`refusal(of:at:by:)`), so that a fault of the provider never looks like a fault of a device.
///
/// Sources: Apple, "Sending notification requests to APNs" and "Handling notification responses from APNs".
enum APNsRequestCheck {
    static let pathPrefix = "/3/device/"
    /// Bytes of a payload.
    static let payloadLimit = 4_096
    /// Bytes of a VoIP payload.
    static let voipPayloadLimit = 5_120
    /// Bytes of `apns-collapse-id`.
    static let collapseIDLimit = 64
    /// Bytes of an `apns-id` that comes back; Apple gives no figure.
    static let echoedIDLimit = 255
    /// Bytes of `apns-topic`; Apple gives no figure.
    static let topicLimit = 255

    /// Reads head and payload; `provider` is what the check of the provider token found.
    static func push(
        from request: APNsRequest,
        provider: Result<ProviderToken, APNsRequestError>
    ) throws(APNsRequestError) -> APNsPush {
        let head = request.head
        guard head.method == "POST" else { throw APNsRequestError(.methodNotAllowed) }
        let tokenText = try readToken(head.path)
        guard !head.hasRepeatedField else { throw APNsRequestError(.duplicateHeaders) }
        if let id = head.id, !isUUID(id) { throw APNsRequestError(.badMessageID) }
        let allowed = try provider.get()
        let topic = try readTopic(head.topic, allowed)
        let pushType = try readPushType(head.pushType)
        let expiration = try readExpiration(head.expiration)
        let priority = try readPriority(head.priority)
        if let collapseID = head.collapseID, collapseID.utf8.count > collapseIDLimit {
            throw APNsRequestError(.badCollapseID)
        }
        let facts = try readPayload(request, pushType)
        try checkNotice(facts, pushType, priority)
        guard let token = DeviceTokenKey(tokenText) else { throw APNsRequestError(.badDeviceToken) }
        return APNsPush(
            token: token,
            id: head.id,
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: head.collapseID,
            payload: request.body
        )
    }

    /// Why the device does not take the push, or nil if it does. No device: the token was never issued.
    static func refusal(
        of push: APNsPush,
        at environment: APNsEnvironment,
        by device: DeviceTokenState?
    ) -> APNsRequestError? {
        guard let device, device.environment == environment, device.state != .malformed else {
            return APNsRequestError(.badDeviceToken)
        }
        guard device.topic == push.topic, device.state != .wrongTopic else {
            return APNsRequestError(.deviceTokenNotForTopic)
        }
        return switch device.state {
        case .unregistered(let since): APNsRequestError(.unregistered, timestamp: since)
        case .expired(let since): APNsRequestError(.expiredToken, timestamp: since)
        case .valid, .malformed, .wrongTopic: nil
        }
    }

    /// Whether a wrong `apns-id` comes back with its refusal: what a field can hold and is not endless.
    static func isEchoed(_ id: String) -> Bool {
        (1...echoedIDLimit).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Apple's canonical form of a UUID; digits of either case are taken.
    static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (place, character) in text.utf8.enumerated() {
            let isHyphen = place == 8 || place == 13 || place == 18 || place == 23
            guard isHyphen ? character == UInt8(ascii: "-") : Hexadecimal.value(of: character) != nil else {
                return false
            }
        }
        return true
    }
}
