import BelfryTestSupport

/// The answers of the server as the SDK of version 0.1.0 decodes them: the types of commit 6926338e, copied, with those of
/// their members that it reads. What it needs is not optional here; what it does not know it passes over.
enum FormerSDKAnswers {
    /// `BelfryWire/ContactLink`
    struct ContactLink: Decodable {
        let contactToken: String
        let refreshToken: String
        let contactReference: String
    }

    struct ContactToken: Decodable {
        let contactToken: String
    }

    /// `BelfryWire/RegistrationAnswers`. A status that it does not know would spoil the answer.
    struct Registration: Decodable {
        enum Status: String, Decodable {
            case received, processed, partlyRejected, superseded
        }

        let registrationId: String
        let revision: Int64
        let status: Status
    }

    /// `BelfryWire/ErrorBody`. An error without a code would count as one of somebody in between.
    struct Failure: Decodable {
        struct Detail: Decodable {
            let code: String
            let message: String
            let target: String?
        }

        let error: Detail
        let details: [Detail]?
    }

    /// `BelfryModel/Badge`
    struct Badge: Decodable {
        let count: Int
        let revision: Int64
    }

    /// `BelfryWire/MessageCenterAnswers`
    struct Centers: Decodable {
        let messageCenters: [Center]
        let badge: Badge?
    }

    struct Center: Decodable {
        let name: String
        let label: String?
        let messages: [Message]
    }

    struct CenterMessages: Decodable {
        let messages: [Message]
    }

    /// `BelfryWire/CenterMessageBody`. One message that cannot be read spoils the whole answer.
    struct Message: Decodable {
        enum State: String, Decodable {
            case unread, read, deleted
        }

        let id: String
        let sentAt: String
        let subject: String
        let message: String
        let deeplinkURL: String?
        let richMessageURL: String?
        let iconURL: String?
        let expiresAt: String?
        let center: String
        let hasRichContent: Bool?
        let state: State?
        let custom: [String: JSONValue]?

        private enum CodingKeys: String, CodingKey {
            case id, subject, message, state, custom
            case sentAt = "sent_ts"
            case deeplinkURL = "deeplink_url"
            case richMessageURL = "richmessage_url"
            case iconURL = "icon_url"
            case expiresAt = "expiry_ts"
            case center = "message_center_name"
            case hasRichContent = "has_rich_content"
        }
    }

    struct RichContent: Decodable {
        let id: String
        let html: String
    }

    /// `BelfryWire/InAppSyncAnswer`. It leaves out a message that it cannot read; here each has to be read.
    struct InAppSync: Decodable {
        let cursor: String
        let messages: [InAppMessage]
        let recalled: [String]
    }

    /// `BelfryWire/InAppMessageBody`
    struct InAppMessage: Decodable {
        enum Kind: String, Decodable {
            case modal, full, bannerTop, bannerBottom, fullImage, inline, html, action
        }

        let id: String
        let version: Int
        let campaignId: String
        let type: Kind
        let priority: Int
        let trigger: InAppTrigger?
        let viewId: String?
        let startsAt: String?
        let endsAt: String?
        let displayLimit: Int
        let displayCount: Int?
        let displayEpoch: Int?
        let delaySeconds: Int
        let content: InAppContent
    }

    /// `BelfryModel/InAppTrigger`. Its filter is a tree, whose text the test compares.
    struct InAppTrigger: Decodable {
        let event: String
        let occurrence: Int?
        let filter: JSONValue?

        private enum CodingKeys: String, CodingKey {
            case event, occurrence
            case filter = "where"
        }
    }

    /// `BelfryModel/InAppContent`
    struct InAppContent: Decodable {
        enum Layout: String, Decodable {
            case imageTitleBody, titleImageBody
        }

        struct Button: Decodable {
            let id: String
            let text: String
            let action: Action
        }

        struct Action: Decodable {
            enum Kind: String, Decodable {
                case close, openUrl, event, pushSettings
            }

            let type: Kind
            let url: String?
            let name: String?
            let attributes: [String: JSONValue]?
        }

        let title: String?
        let body: String?
        let imageUrl: String?
        let imageAlt: String?
        let buttons: [Button]?
        let action: Action?
        let layout: Layout?
        let actions: [Action]?
        let html: String?
    }

    /// `BelfryWire/EventBatch`
    struct EventBatch: Decodable {
        struct Rejected: Decodable {
            let index: Int
            let id: String?
            let reason: String
        }

        let rejected: [Rejected]?
    }
}
