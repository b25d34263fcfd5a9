import BelfryModel

extension OpenAPI {
    /// Who belongs to an audience (CAMP-3).
    static let predicate: Schema = .one(of: alternatives)
        .described(
            """
            Who belongs to an audience. At most \(ConditionLimits.maximumDepth) levels deep, with at most \
            \(ConditionLimits.maximumNodes) parts and \(ConditionLimits.maximumListLength) entries in all its lists.
            """
        )

    private static let alternatives: [Schema] = groups + comparisonsOfAttributes + comparisonsOfDevices

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
        ["attribute": .string().described("One that the app has defined.")]
    )

    private static let comparisonsOfDevices: [Schema] = comparisons(
        ["device": .word(DeviceProperty.allCases.map(\.rawValue))]
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
