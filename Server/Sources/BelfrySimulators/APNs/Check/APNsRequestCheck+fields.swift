extension APNsRequestCheck {
    static func readToken(_ path: String) throws(APNsRequestError) -> Substring {
        guard path.hasPrefix(pathPrefix) else { throw APNsRequestError(.badPath) }
        let token = path.dropFirst(pathPrefix.utf8.count)
        guard !token.isEmpty else { throw APNsRequestError(.missingDeviceToken) }
        return token
    }

    static func readTopic(_ field: String?, _ provider: ProviderToken) throws(APNsRequestError) -> String {
        guard let topic = field, !topic.isEmpty else { throw APNsRequestError(.missingTopic) }
        guard topic.utf8.count <= topicLimit, topic.utf8.allSatisfy(isTopicCharacter) else {
            throw APNsRequestError(.badTopic)
        }
        guard provider.topics?.contains(topic) ?? true else { throw APNsRequestError(.topicDisallowed) }
        return topic
    }

    static func readPushType(_ field: String?) throws(APNsRequestError) -> APNsPushType? {
        guard let field else { return nil }
        guard let pushType = APNsPushType(rawValue: field) else { throw APNsRequestError(.invalidPushType) }
        return pushType
    }

    static func readExpiration(_ field: String?) throws(APNsRequestError) -> Int? {
        guard let field else { return nil }
        guard field.utf8.first != UInt8(ascii: "+"), let seconds = Int(field), seconds >= 0 else {
            throw APNsRequestError(.badExpirationDate)
        }
        return seconds
    }

    /// "If you omit this header, APNs sets the notification priority to 10."
    static func readPriority(_ field: String?) throws(APNsRequestError) -> Int {
        switch field {
        case nil, "10": 10
        case "5": 5
        case "1": 1
        default: throw APNsRequestError(.badPriority)
        }
    }

    static func readPayload(
        _ request: APNsRequest,
        _ pushType: APNsPushType?
    ) throws(APNsRequestError) -> APNsPayloadFacts {
        guard request.bodyLength > 0 else { throw APNsRequestError(.payloadEmpty) }
        guard request.bodyLength <= (pushType == .voip ? voipPayloadLimit : payloadLimit) else {
            throw APNsRequestError(.payloadTooLarge)
        }
        guard let facts = APNsPayloadFacts.read(request.body, for: pushType) else {
            throw APNsRequestError(.badPayload)
        }
        return facts
    }

    /// Apple on priority 10: "it's an error to use this priority for a notification that has only the content-available
    /// key"; and on background pushes: "always use priority 5. Using priority 10 is an error", and no alert, sound or
    /// badge. Apple does not say which error.
    static func checkNotice(
        _ facts: APNsPayloadFacts,
        _ pushType: APNsPushType?,
        _ priority: Int
    ) throws(APNsRequestError) {
        let isSilent = facts.isContentAvailable && !facts.isNoticeable
        if priority == 10 && (pushType == .background || isSilent) { throw APNsRequestError(.badPriority) }
        if pushType == .background && facts.isNoticeable { throw APNsRequestError(.invalidPushType) }
    }

    private static func isTopicCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
