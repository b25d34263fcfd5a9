extension APNsRequestCheck {
    static func readToken(_ path: String) throws(APNsRefusal) -> Substring {
        guard path.hasPrefix(pathPrefix) else { throw APNsRefusal(.badPath) }
        let token = path.dropFirst(pathPrefix.utf8.count)
        guard !token.isEmpty else { throw APNsRefusal(.missingDeviceToken) }
        return token
    }

    static func readTopic(_ field: String?, _ provider: ProviderToken) throws(APNsRefusal) -> String {
        guard let topic = field, !topic.isEmpty else { throw APNsRefusal(.missingTopic) }
        guard topic.utf8.count <= topicLimit, topic.utf8.allSatisfy(isTopicCharacter) else {
            throw APNsRefusal(.badTopic)
        }
        guard provider.topics?.contains(topic) ?? true else { throw APNsRefusal(.topicDisallowed) }
        return topic
    }

    static func readPushType(_ field: String?) throws(APNsRefusal) -> APNsSimulator.PushType? {
        guard let field else { return nil }
        guard let pushType = APNsSimulator.PushType(rawValue: field) else { throw APNsRefusal(.invalidPushType) }
        return pushType
    }

    static func readExpiration(_ field: String?) throws(APNsRefusal) -> Int? {
        guard let field else { return nil }
        guard field.utf8.first != UInt8(ascii: "+"), let seconds = Int(field), seconds >= 0 else {
            throw APNsRefusal(.badExpirationDate)
        }
        return seconds
    }

    /// "If you omit this header, APNs sets the notification priority to 10."
    static func readPriority(_ field: String?) throws(APNsRefusal) -> Int {
        switch field {
        case nil, "10": 10
        case "5": 5
        case "1": 1
        default: throw APNsRefusal(.badPriority)
        }
    }

    static func readPayload(
        _ request: APNsRequest,
        _ pushType: APNsSimulator.PushType?
    ) throws(APNsRefusal) -> APNsPayloadFacts {
        guard request.bodyLength > 0 else { throw APNsRefusal(.payloadEmpty) }
        guard request.bodyLength <= (pushType == .voip ? voipPayloadLimit : payloadLimit) else {
            throw APNsRefusal(.payloadTooLarge)
        }
        guard let facts = APNsPayloadFacts.read(request.body) else { throw APNsRefusal(.badPayload) }
        return facts
    }

    /// Apple on priority 10: "it's an error to use this priority for a notification that has only the
    /// content-available key"; and on background pushes: "always use priority 5. Using priority 10 is an error", and
    /// no alert, sound or badge. Which error, Apple leaves open.
    static func checkNotice(
        _ facts: APNsPayloadFacts,
        _ pushType: APNsSimulator.PushType?,
        _ priority: Int
    ) throws(APNsRefusal) {
        let isSilent = facts.isContentAvailable && !facts.isNoticeable
        if priority == 10 && (pushType == .background || isSilent) { throw APNsRefusal(.badPriority) }
        if pushType == .background && facts.isNoticeable { throw APNsRefusal(.invalidPushType) }
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
