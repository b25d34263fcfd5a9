import BelfryModel
import BelfryServices
import BelfryWire

extension EventBatchResponse {
    init(rejected: [RejectedEvent]?, oldCampaigns: [String]?, v3InApp: V3InAppBundle) {
        self.init(
            rejected: rejected, oldCampaigns: oldCampaigns, message: v3InApp.message.map(V3InAppMessage.init),
            onEventAction: v3InApp.action.map(OnEventAction.init)
        )
    }

    var isEmpty: Bool { rejected == nil && oldCampaigns == nil && message == nil && onEventAction == nil }
}

extension V3InAppMessage {
    fileprivate init(_ page: V3InAppPage) {
        self.init(campaignId: page.campaign.description, html: page.html)
    }
}

extension OnEventAction {
    fileprivate init(_ actions: V3InAppActions) {
        self.init(
            campaignId: actions.campaign.description, actions: actions.actions.flatMap(V3InAppAction.inVersion3)
        )
    }
}

extension V3InAppAction {
    /// An action in the terms of version 3. There, to track an event and to pass it to the app are two actions. Android
    /// wants a payload with a custom event.
    fileprivate static func inVersion3(_ action: InAppAction) -> [V3InAppAction] {
        switch action.type {
        case .openUrl:
            return action.url.map { [V3InAppAction(type: .openExternalUrl, url: $0)] } ?? []
        case .event:
            guard let name = action.name else { return [] }
            let payload = action.attributes ?? [:]
            return [V3InAppAction.Kind.customEvent, .appEvent].map {
                V3InAppAction(type: $0, name: name, payload: payload)
            }
        case .close, .pushSettings:
            return []
        }
    }
}
