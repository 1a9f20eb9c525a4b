// What a page is, and the addresses of pages.

/** A page that is shown: `update` after changes, `destroy` when another one is. */
export interface Page {
  element: HTMLElement;
  update?: () => void;
  destroy?: () => void;
}

export const campaignLink = (campaign: string): string => `#/${encodeURIComponent(campaign)}`;
export const taskLink = (campaign: string, task: string): string =>
  `${campaignLink(campaign)}/task/${encodeURIComponent(task)}`;
export const insightLink = (campaign: string): string => `${campaignLink(campaign)}/insight`;
export const knowledgeLink = (campaign: string): string => `${campaignLink(campaign)}/knowledge`;
