extension V3Response {
    /// The parts of this response on which one of the vendor's clients would fail; empty if there are none.
    func complaints(about call: V3Call) -> [String] {
        var found: [String] = []
        if status < 200 || (300..<400).contains(status) {
            found.append("\(status) is neither done nor refused: the call is repeated for ever")
        }
        if status == 401, call.needsNoToken {
            found.append("401 to a call that needs no token starts the refresh in circles")
        }
        if isSuccess, call.isOfMobileEngage, header("X-Client-State") == nil {
            found.append("no X-Client-State: the properties are sent again at each start")
        }
        if status >= 400, json?.isObject != true {
            found.append("\(status) without a JSON object as its body")
        }
        return found + complaintsAboutBody + complaints(aboutAnswerTo: call)
    }

    private var complaintsAboutBody: [String] {
        guard !body.isEmpty else { return [] }
        guard let json else { return ["the body is no JSON"] }
        return (beginsAsJSON ? [] : ["the body does not begin with { or ["])
            + (json.holdsNull ? ["the body holds a null"] : [])
    }

    private func complaints(aboutAnswerTo call: V3Call) -> [String] {
        if case .inline = call, isSuccess { return inlineComplaints }
        if call == .geofences, isSuccess { return json?["groups"]?.items == nil ? ["no groups of geofences"] : [] }
        if call == .inbox, isSuccess { return inboxComplaints }
        // Android wants all three; with features there are products.
        if call == .products, isSuccess {
            let isWhole =
                json?["cohort"]?.string != nil && json?["features"]?.isObject == true
                && json?["products"]?.isObject == true
            return isWhole ? [] : ["products without cohort, features or products"]
        }
        guard case .events(let composite) = call, isSuccess, let json else { return [] }
        var complaints: [String] = []
        if let state = json["deviceEventState"], !state.isObject {
            complaints.append("deviceEventState is no object")
        }
        if let message = json["message"] {
            if composite.isInAppPaused { complaints.append("a message for an app that paused them") }
            if message["campaignId"]?.string == nil { complaints.append("a message without campaignId") }
        }
        if let action = json["onEventAction"], action["campaignId"]?.string == nil || action["actions"]?.items == nil {
            complaints.append("onEventAction without campaignId or actions")
        }
        return complaints
    }

    /// Android skips a message without one of these.
    private var inboxComplaints: [String] {
        guard let messages = json?["messages"]?.items else { return ["no messages of the inbox"] }
        let isWhole = messages.allSatisfy { message in
            ["id", "campaignId", "title", "body"].allSatisfy { message[$0]?.string != nil }
                && ["receivedAt", "updatedAt"].allSatisfy { message[$0]?.numeric != nil }
        }
        return isWhole ? [] : ["a message of the inbox without one of its fields"]
    }

    /// Android needs all three.
    private var inlineComplaints: [String] {
        guard let messages = json?["inlineMessages"]?.items else { return ["no inlineMessages"] }
        let isWhole = messages.allSatisfy { message in
            ["campaignId", "html", "viewId"].allSatisfy { message[$0]?.string?.isEmpty == false }
        }
        return isWhole ? [] : ["an inline message without campaignId, html or viewId"]
    }
}
