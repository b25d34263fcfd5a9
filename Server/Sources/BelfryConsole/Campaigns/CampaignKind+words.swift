import BelfryModel
import BelfryServerModel

extension CampaignKind {
    /// The name of the kind on pages.
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
