import BelfryModel

/// The schema of an audience (CAMP-3).
extension Condition: Described {
    static let schemaName = "Predicate"

    static let schema: JSONSchema = .one(of: JSONSchema.kindsOfCondition, discriminatedBy: JSONSchema.wordsOfKinds)
        .described(
            """
            The devices of an audience. At most \(ConditionLimits.maximumDepth) levels deep, with at most \
            \(ConditionLimits.maximumNodes) parts and \(ConditionLimits.maximumListLength) entries in all its lists.
            """
        )

}

/// The schema of a value with which a date is compared.
enum DateValue: Described {
    static let schema: JSONSchema = .string().described(
        """
        An ISO 8601 date: with an offset; without one, in the app's time zone; or only a day, which means all of \
        it. Or a duration from now: `-P30D` is 30 days ago. Also for attributes of type date.
        """
    )
}

extension JSONSchema {
    fileprivate static let kindsOfCondition: [JSONSchema] =
        groups + comparisonsOfAttributes + comparisonsOfDevices + comparisonsOfParties
        + questionsOfOptIn + comparisonsOfLastOpen + [event]

    /// The keys that tell conditions apart. Objects with these keys are closed: an ignored limit would make the
    /// audience larger than the operator wanted.
    fileprivate static let wordsOfKinds: Set<String> = [
        "everyone", "all", "any", "not", "tag", "contactKeys", "deviceIds", "known", "attribute", "device", "event",
        "party",
    ]

    fileprivate static let groups: [JSONSchema] = [
        only(["everyone": .yes]),
        only(["all": .parts]),
        only(["any": .parts]),
        only(["not": .of(Condition.self)]),
        only(["tag": .string()]),
        only(["contactKeys": .list(of: .string(), listLength)]),
        only(["deviceIds": .list(of: .string(), listLength)]),
        only(["known": .boolean.described("Known contacts, or anonymous ones.")]),
    ]

    fileprivate static let comparisonsOfAttributes: [JSONSchema] = comparisons(
        ["attribute": .string().described("One that the app has defined; in `where`, any attribute of the event.")]
    )

    fileprivate static let comparisonsOfDevices: [JSONSchema] = comparisons(
        ["device": .cases(of: DeviceProperty.self)]
    )

    fileprivate static let comparisonsOfParties: [JSONSchema] = comparisons(
        ["party": .cases(of: PartyPart.self).described("A part of the contact's party identifier.")]
    )

    fileprivate static let questionsOfOptIn: [JSONSchema] = [
        only([
            "device": .word([DeviceFact.pushOptIn.rawValue])
                .described("Whether the device may get pushes: it did not opt out and has a push token."),
            "op": .word(["==", "!="]), "value": .boolean,
        ])
    ]

    fileprivate static let comparisonsOfLastOpen: [JSONSchema] = [
        only([
            "device": .lastOpenedAt, "op": .word(["==", "!=", "<", "<=", ">", ">="]),
            "value": .of(DateValue.self),
        ]),
        only([
            "device": .lastOpenedAt, "op": .word(["in"]),
            "value": .list(of: .of(DateValue.self), listLength),
        ]),
        .object(
            ["device": .lastOpenedAt, "op": .word(["exists"])], optional: ["value": .boolean], isClosed: true),
    ]

    fileprivate static let lastOpenedAt: JSONSchema = .word([DeviceFact.lastOpenedAt.rawValue])

    fileprivate static let event: JSONSchema = .object(
        ["event": .string(1...EventName.maximumLength).described("The name of an event.")],
        optional: [
            "count": .object(
                [
                    "op": .cases(of: EventCount.Operator.self),
                    "value": .integer(0...ConditionLimits.maximumEventCount),
                ],
                isClosed: true
            )
            .described("How often; absent: at least once."),
            "within": .duration("P30D").described("The period before now."),
            "where": .of(Condition.self).described(
                "Over the event's attributes: `all`, `any`, `not`, `everyone`, `attribute`."
            ),
        ],
        isClosed: true
    )

    /// One comparison for each kind of operand.
    fileprivate static func comparisons(_ subject: [String: JSONSchema]) -> [JSONSchema] {
        func comparing(by operators: [String], _ operand: [String: JSONSchema] = [:]) -> [String: JSONSchema] {
            var members = subject
            members["op"] = .word(operators)
            return members.merging(operand) { first, _ in first }
        }
        return [
            only(comparing(by: ["==", "!=", "<", "<=", ">", ">="], ["value": .of(AttributeValue.self)])),
            only(
                comparing(by: ["in"], ["value": .list(of: .of(AttributeValue.self), listLength)])),
            only(comparing(by: ["contains", "startsWith"], ["value": .string()])),
            .object(comparing(by: ["exists"]), optional: ["value": .boolean], isClosed: true),
        ]
    }

    fileprivate static let parts: JSONSchema = .list(of: .of(Condition.self), 1...ConditionLimits.maximumNodes)

    fileprivate static let listLength = 0...ConditionLimits.maximumListLength

    fileprivate static func only(_ members: [String: JSONSchema]) -> JSONSchema {
        .object(members, isClosed: true)
    }
}
