// The client's in-app messages: it shows them, and performs the commands of their pages.
extension V3Device {
    /// Shows the message that came first, once its page has loaded.
    ///
    /// - Returns: its campaign and its page; nil when none came.
    package func showOverlay() async -> (campaign: String, html: String)? {
        guard !memory.v3InAppMessages.isEmpty else { return nil }
        let message = memory.v3InAppMessages.removeFirst()
        let campaign = message["campaignId"]?.string ?? ""
        await show(campaign: campaign)
        return (campaign, message["html"]?.string ?? "")
    }

    /// Runs the on-event actions that came; each is a display of its campaign.
    package func runOnEventActions() async {
        while !memory.onEventActions.isEmpty {
            let action = memory.onEventActions.removeFirst()
            for step in action["actions"]?.items ?? [] { await run(step) }
            if let campaign = action["campaignId"]?.string { await show(campaign: campaign) }
        }
    }

    /// A type that is not known is passed over.
    func run(_ action: JSON) async {
        switch action["type"]?.string {
        case "BadgeCount" where isIOS:
            let value = Int(action["value"]?.numeric ?? 0)
            let isAdded = action["method"]?.string?.lowercased() == "add"
            memory.badge = isAdded ? (memory.badge ?? 0) + value : value
        case "MEAppEvent": tell(action)
        case "MECustomEvent": await track(action)
        case "OpenExternalUrl": memory.openedLinks += [action["url"]?.string].compactMap(\.self)
        default: break
        }
    }

    /// A command of a page's bridge.
    ///
    /// - Returns: the response to the page; nil if there is none.
    @discardableResult
    package func command(_ name: String, _ argument: JSON = [:], campaign: String) async -> JSON? {
        switch name {
        case "close": return nil
        case "buttonClicked":
            guard let button = argument["buttonId"]?.string else { return failed(argument) }
            await press(button, campaign: campaign)
        case "triggerAppEvent":
            guard argument["name"]?.string != nil else { return failed(argument) }
            tell(argument)
        case "triggerMEEvent":
            guard argument["name"]?.string != nil else { return failed(argument) }
            await track(argument)
        case "openExternalLink":
            guard let url = argument["url"]?.string else { return failed(argument) }
            memory.openedLinks.append(url)
        case "copyToClipboard":
            guard let text = argument["text"]?.string else { return failed(argument) }
            memory.clipboard = text
        case "requestPushPermission" where isIOS: memory.permissionRequests += 1
        default: return nil
        }
        return ["id": argument["id"] ?? "", "success": true]
    }

    private func failed(_ argument: JSON) -> JSON {
        let answer: JSON = ["id": argument["id"] ?? "", "success": false]
        return isIOS ? answer.with("errors", ["Missing argument"]) : answer.with("error", "Missing argument!")
    }

    func tell(_ event: JSON) {
        memory.appEvents.append(["name": event["name"] ?? "", "payload": event["payload"] ?? [:]])
    }

    /// The payload becomes the attributes, of whatever kind its values are.
    private func track(_ event: JSON) async {
        await track(
            raw: [
                "type": "custom", "name": event["name"] ?? "", "timestamp": .text(environment.timestamp),
                "attributes": event["payload"] ?? [:],
            ])
    }

    /// What an inline view shows at a place: asked at once, outside the queue. iOS takes the last message that fits, Android
    /// the first. The view itself reports no display.
    package func inlineMessage(_ viewID: String) async -> (campaign: String, html: String)? {
        guard case .accepted = await send(.inline(viewID: viewID, clicks: store.clicks)) else { return nil }
        let messages = exchanges.last?.answer?.json?["inlineMessages"]?.items ?? []
        let fitting = messages.filter { $0["viewId"]?.string?.lowercased() == viewID.lowercased() }
        guard let message = isIOS ? fitting.last : fitting.first else { return nil }
        return (message["campaignId"]?.string ?? "", message["html"]?.string ?? "")
    }
}
