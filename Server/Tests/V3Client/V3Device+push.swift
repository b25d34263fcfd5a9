// Pushes: how they come, what the device shows, and what a tap does.
extension V3Device {
    /// APNs delivers a payload.
    package func receive(apns payload: [UInt8], collapseID: String? = nil) async {
        guard let json = JSON(parsing: payload) else {
            complaints.append("a payload that is no JSON")
            return
        }
        var push = V3Notification(apns: json)
        push.collapseID = collapseID
        if let badge = push.badge { memory.badge = badge }
        guard push.isSilent else { return show(push) }
        for action in push.actions { await run(action) }
    }

    /// FCM delivers a message.
    ///
    /// - Parameter request: as it was sent: `{"message":{…}}`.
    package func receive(fcm request: [UInt8]) async {
        guard let message = JSON(parsing: request)?["message"], case .object(let members) = message["data"] ?? [:]
        else {
            complaints.append("a message that is no JSON")
            return
        }
        if message["notification"] != nil {
            complaints.append("a notification block: the system shows it, and the client reports no tap")
        }
        guard let push = V3Notification(fcm: members.compactMapValues(\.string), randomID: environment.uuid()) else {
            memory.leftToApp += 1
            return
        }
        guard push.isSilent else { return show(push) }
        for action in push.actions { await run(action) }
    }

    private func show(_ push: V3Notification) {
        if !isIOS { complain(ofChannel: push.channel ?? "") }
        if let id = push.collapseID { memory.notifications.removeAll { $0.collapseID == id } }
        if push.operation != "DELETE" { memory.notifications.append(push) }
    }

    /// From version 8 on Android shows nothing without a channel that the app has.
    private func complain(ofChannel id: String) {
        let channels = info["pushSettings"]?["channelSettings"]?.items ?? []
        guard !channels.contains(where: { $0["channelId"]?.string == id }) else { return }
        complaints.append("the app has no channel '\(id)': nothing is shown")
    }

    /// A person taps a notification, or one of its buttons.
    package func tap(_ notification: V3Notification, button: String? = nil) async {
        let named = button.flatMap { id in notification.actions.first { $0["id"]?.string == id } }
        if button != nil, named == nil {
            complaints.append("there is no such button")
            return
        }
        memory.notifications.removeAll { $0 == notification }
        let action = named ?? notification.defaultAction
        if action?["type"]?.string != "Dismiss" { memory.launches += 1 }
        if isIOS {
            await reportOnIOS(notification, action)
        } else {
            // The app always gets the whole push first.
            tell(["name": "push:payload", "payload": .object(notification.rootParameters)])
            await report(notification, button: named == nil ? nil : button)
        }
        if let action { await run(action) }
    }

    /// By the action's own id. Without a sid iOS reports no tap, and a tap on a button may end the app.
    private func reportOnIOS(_ notification: V3Notification, _ action: JSON?) async {
        let button = action?["id"]?.string
        guard notification.sid != nil else {
            if button != nil { complaints.append("a button without a sid: the app crashes") }
            return
        }
        await report(notification, button: button)
    }

    private func report(_ notification: V3Notification, button: String?) async {
        let sid = JSON.text(notification.sid ?? "Missing sid")
        if let button {
            await trackInternal("push:click", ["origin": "button", "button_id": .text(button), "sid": sid])
        } else {
            await trackInternal("push:click", ["origin": "main", "sid": sid])
        }
    }

    // MARK: Inbox

    /// The messages of the contact; nil when they did not come.
    @discardableResult
    package func fetchInbox() async -> [JSON]? {
        guard case .accepted = await send(.inbox) else { return nil }
        memory.inbox = exchanges.last?.answer?.json?["messages"]?.items ?? []
        return memory.inbox
    }

    /// The app puts a tag on a message. What the inbox shows already, or a message that it does not show, is not sent.
    @discardableResult
    package func addTag(_ tag: String, to message: String) async -> CallOutcomeV3? {
        if let inbox = memory.inbox {
            guard let known = inbox.first(where: { $0["id"]?.string == message }),
                known["tags"]?.items?.contains(.text(tag.lowercased())) != true
            else { return nil }
        }
        return await trackInternal("inbox:tag:add", ["messageId": .text(message), "tag": .text(tag.lowercased())])
    }
}
