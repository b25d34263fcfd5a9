/// The design system on one page: every part of which pages consist, for people who build pages (CON-2).
enum DesignPages {
    static let routes: [ConsoleRoute] = [
        .get("/design", .signedIn) { _ in .page(Page("Design system", template: "design", model: DesignModel())) }
    ]
}

struct DesignModel: Sendable {
    let chips = [
        StatusChip(word: "Draft", tone: "quiet"), StatusChip(word: "Sending", tone: "busy"),
        StatusChip(word: "Completed", tone: "good"), StatusChip(word: "Paused", tone: "warning"),
        StatusChip(word: "Rejected", tone: "bad"),
    ]
    let bars = [
        Bar("Audience", 124_830, of: 124_830), Bar("Accepted", 109_400, of: 124_830),
        Bar("Opted out", 14_020, of: 124_830, tone: "bar-warning"),
        Bar("Rejected", 1_410, of: 124_830, tone: "bar-bad"), Bar("Opened", 31_200, of: 124_830),
    ]
    let chart = ColumnChart(
        (1...30).map { day in ("\(day) Nov", [820, 1_240, 4_100, 2_980, 3_350, 610, 540][day % 7] * (10 + day) / 10) },
        of: "pushes sent"
    )
    let trend = LineChart(
        (1...30).map { day in ("\(day) Nov", 97_000 + day * 40 - day * day % 60) },
        summary: "98,200 devices may get pushes."
    )
}
