/// Decides whether APNs would accept a request. It has no side effects and gets all facts as parameters.
///
/// Apple documents the responses but not their order. The order here is: method, path, repeated fields, `apns-id`,
/// provider token, topic, push type, expiration, priority, collapse id, payload; and last the device
/// (`error(of:at:by:)`), so that a fault of the provider never looks like a fault of a device.
///
/// Sources: Apple, "Sending notification requests to APNs" and "Handling notification responses from APNs".
enum APNsRequestCheck {
    static let pathPrefix = "/3/device/"
    /// The maximum size of a payload in bytes.
    static let payloadLimit = 4_096
    /// The maximum size of a VoIP payload in bytes.
    static let voipPayloadLimit = 5_120
    /// The maximum length of `apns-collapse-id` in bytes.
    static let collapseIDLimit = 64
    /// The maximum length in bytes of an `apns-id` that is returned; Apple publishes no figure.
    static let echoedIDLimit = 255
    /// The maximum length of `apns-topic` in bytes; Apple publishes no figure.
    static let topicLimit = 255

    /// Reads head and payload. `provider` is the result of the provider token's check.
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
    static func error(
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

    /// Whether an invalid `apns-id` is returned with its error: a header can contain it, and it is not too long.
    static func isEchoed(_ id: String) -> Bool {
        (1...echoedIDLimit).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Whether the text is a UUID in Apple's canonical form; digits may be of either case.
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
