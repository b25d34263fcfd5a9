import BelfryModel
import BelfryServices
import BelfryWire

extension EventBatchAnswer {
    init(rejected: [RejectedEvent]?, oldCampaigns: [String]?, overlay: Overlay) {
        self.init(
            rejected: rejected, oldCampaigns: oldCampaigns, message: overlay.message.map(OverlayMessage.init),
            onEventAction: overlay.action.map(OnEventAction.init)
        )
    }

    var isEmpty: Bool { rejected == nil && oldCampaigns == nil && message == nil && onEventAction == nil }
}

extension OverlayMessage {
    fileprivate init(_ page: OverlayPage) {
        self.init(campaignId: page.campaign.description, html: page.html)
    }
}

extension OnEventAction {
    fileprivate init(_ actions: OverlayActions) {
        self.init(
            campaignId: actions.campaign.description, actions: actions.actions.flatMap(OverlayAction.inVersion3)
        )
    }
}

extension OverlayAction {
    /// An action in the words of version 3: an event is tracked, and handed to the app, which are two there. Android
    /// wants a payload with a custom event.
    fileprivate static func inVersion3(_ action: InAppAction) -> [OverlayAction] {
        switch action.type {
        case .openUrl:
            return action.url.map { [OverlayAction(type: .openExternalUrl, url: $0)] } ?? []
        case .event:
            guard let name = action.name else { return [] }
            let payload = action.attributes ?? [:]
            return [OverlayAction.Kind.customEvent, .appEvent].map {
                OverlayAction(type: $0, name: name, payload: payload)
            }
        case .close, .pushSettings:
            return []
        }
    }
}
