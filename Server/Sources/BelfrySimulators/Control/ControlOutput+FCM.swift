import Hummingbird

extension ControlOutput {
    struct FCMMessage: ResponseEncodable {
        var sequence: Int
        var name: String
        var messageId: String?
        var collapseKey: String?
        var highPriority: Bool
        /// In seconds.
        var timeToLive: Int
        /// The data that the app gets.
        var data: [String: String]
        var title: String?
        var body: String?
        var image: String?
        /// The number that a launcher may show on the icon.
        var notificationCount: Int?
        /// The JSON of the request as text, as the sender sent it.
        var request: String
        /// In milliseconds since 1970.
        var acceptedAt: Int64

        init(_ message: SimulatedFCMMessage) {
            sequence = message.sequence
            name = message.name
            messageId = message.messageID
            collapseKey = message.collapseKey
            highPriority = message.isHighPriority
            timeToLive = message.timeToLive
            data = message.data
            title = message.title
            body = message.body
            image = message.image
            notificationCount = message.notificationCount
            request = String(decoding: message.request, as: UTF8.self)
            acceptedAt = ControlOutput.milliseconds(message.acceptedAt)
        }
    }
}
