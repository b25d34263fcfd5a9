/// How browsers read what they get.
struct WebPushReading: Sendable {
    var opens: Bool
    var messageIDPath: [String]

    /// What a body holds, and the sender's own id in it.
    func read(_ body: [UInt8], _ keys: WebPushKeys?) -> (payload: WebPushSimulator.Payload, messageID: String?) {
        guard !body.isEmpty else { return (.none, nil) }
        guard opens, let keys else { return (.sealed(body), nil) }
        do throws(WebPushSimulator.Unreadable) {
            let message = try WebPushDecryption.open(body, keys)
            let members = JSONValue.object(from: message)
            return (.message(message), members.flatMap { JSONValue.object($0).text(at: messageIDPath[...]) })
        } catch {
            return (.unreadable(error), nil)
        }
    }
}
