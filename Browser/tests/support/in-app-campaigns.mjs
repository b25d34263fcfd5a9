// The in-app campaigns of a scenario, as a server decides about them for a browser (WIRE-6).
export class InAppCampaigns {
  campaigns = [];

  /** The message for the response to these events, or none. */
  due({ dnd, events }, stored) {
    if (dnd) return undefined;
    const news = events.filter(({ id }) => !stored.some((other) => other.id === id));
    const displays = (campaignId) => [...stored, ...news].filter(({ name, attributes }) => name === "inapp:viewed" && attributes.campaignId === campaignId).length;
    const found = this.campaigns.find(({ campaignId, event, where = {}, displayLimit = 1 }) => displays(campaignId) < displayLimit &&
      news.some(({ name, attributes = {} }) => name === event && Object.entries(where).every(([key, value]) => attributes[key] === value)));
    return found && { campaignId: found.campaignId, html: found.campaignId };
  }
}
