import BelfryModel
import BelfryServerModel

extension CampaignKind {
    /// As people call it.
    var words: String {
        switch self {
        case .push: "Push"
        case .pushAndMessageCenter: "Push, kept in a message center"
        case .messageCenter: "Message center"
        case .inApp: "In-app message"
        case .silent: "Silent push"
        }
    }
}
