import BelfryModel

extension OpenAPI {
    /// Who belongs to an audience (CAMP-3).
    static let predicate: Schema = .one(of: alternatives, toldBy: kinds)
        .described(
            """
            Who belongs to an audience. At most \(ConditionLimits.maximumDepth) levels deep, with at most \
            \(ConditionLimits.maximumNodes) parts and \(ConditionLimits.maximumListLength) entries in all its lists.
            """
        )

    private static let alternatives: [Schema] =
        groups + comparisonsOfAttributes + comparisonsOfDevices + questionsOfOptIn + comparisonsOfLastOpen + [event]

    /// A limit that no reader heeds would reach more people than it says: beside each of these stand its own keys only.
    private static let kinds: Set<String> = [
        "everyone", "all", "any", "not", "tag", "contactKeys", "deviceIds", "known", "attribute", "device", "event",
    ]

    private static let groups: [Schema] = [
        only(["everyone": .yes]),
        only(["all": parts]),
        only(["any": parts]),
        only(["not": .reference("Predicate")]),
        only(["tag": .string()]),
        only(["contactKeys": .list(of: .string(), listLength)]),
        only(["deviceIds": .list(of: .string(), listLength)]),
        only(["known": .boolean.described("Known contacts, or anonymous ones.")]),
    ]

    private static let comparisonsOfAttributes: [Schema] = comparisons(
        ["attribute": .string().described("One that the app has defined; inside `where`, any of the event's.")]
    )

    private static let comparisonsOfDevices: [Schema] = comparisons(
        ["device": .word(DeviceProperty.allCases.map(\.rawValue))]
    )

    private static let questionsOfOptIn: [Schema] = [
        only([
            "device": .word([DeviceFact.pushOptIn.rawValue])
                .described("Whether a push may be sent to it: nobody has said no, and it has a token."),
            "op": .word(["==", "!="]), "value": .boolean,
        ])
    ]

    private static let comparisonsOfLastOpen: [Schema] = [
        only([
            "device": lastOpenedAt, "op": .word(["==", "!=", "<", "<=", ">", ">="]), "value": .reference("DateValue"),
        ]),
        only(["device": lastOpenedAt, "op": .word(["in"]), "value": .list(of: .reference("DateValue"), listLength)]),
        .object(["device": lastOpenedAt, "op": .word(["exists"])], optional: ["value": .boolean], isClosed: true),
    ]

    private static let lastOpenedAt: Schema = .word([DeviceFact.lastOpenedAt.rawValue])

    /// What a date is compared with.
    static let dateValue: Schema = .string().described(
        """
        An ISO 8601 date: with an offset; without one, in the app's time zone; a day alone, the whole of it. Or a \
        duration from now: `-P30D` is 30 days ago. Attributes of type date are compared with the same.
        """
    )

    private static let event: Schema = .object(
        ["event": .string(1...EventName.maximumLength).described("The name of an event.")],
        optional: [
            "count": .object(
                [
                    "op": .word(EventCount.Operator.allCases.map(\.rawValue)),
                    "value": .integer(0...Int64(ConditionLimits.maximumEventCount)),
                ],
                isClosed: true
            )
            .described("How often; at least once when it is absent."),
            "within": duration("P30D").described("How far back."),
            "where": .reference("Predicate").described(
                "Over the event's attributes: `all`, `any`, `not`, `everyone`, `attribute`."
            ),
        ],
        isClosed: true
    )

    /// A comparison for each kind of operand.
    private static func comparisons(_ subject: [String: Schema]) -> [Schema] {
        func comparing(by operators: [String], _ operand: [String: Schema] = [:]) -> [String: Schema] {
            var members = subject
            members["op"] = .word(operators)
            return members.merging(operand) { first, _ in first }
        }
        return [
            only(comparing(by: ["==", "!=", "<", "<=", ">", ">="], ["value": .reference("AttributeValue")])),
            only(comparing(by: ["in"], ["value": .list(of: .reference("AttributeValue"), listLength)])),
            only(comparing(by: ["contains", "startsWith"], ["value": .string()])),
            .object(comparing(by: ["exists"]), optional: ["value": .boolean], isClosed: true),
        ]
    }

    private static let parts: Schema = .list(of: .reference("Predicate"), 1...ConditionLimits.maximumNodes)
    private static let listLength = 0...ConditionLimits.maximumListLength

    private static func only(_ members: [String: Schema]) -> Schema {
        .object(members, isClosed: true)
    }
}
