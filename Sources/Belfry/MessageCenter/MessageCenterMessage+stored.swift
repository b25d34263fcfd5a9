import BelfryModel
import BelfryWire
import Foundation

extension MessageCenterMessage {
    /// A message as the device keeps it (MC-8). An address that is none leads nowhere.
    init(_ stored: StoredCenterMessage) {
        let body = stored.body
        self.init(
            id: body.id,
            subject: body.subject,
            message: body.message,
            sentTimestamp: stored.sentAt,
            messageCenterName: body.center,
            iconURL: Self.url(body.iconURL),
            deeplinkURL: Self.url(body.deeplinkURL),
            richMessageURL: Self.url(body.richMessageURL),
            richMessageHTML: stored.richHTML,
            hasRichContent: body.hasRichContent,
            expiryTimestamp: stored.expiresAt,
            state: stored.state,
            customKeyValuePairs: body.custom ?? [:]
        )
    }

    private static func url(_ text: String?) -> URL? {
        text.flatMap(WireURL.decoded).flatMap(URLText.url)
    }
}
